/** A limit on the work for one document. @throws RangeError from `spend` when the budget is used up */
export type Budget = { spend: (units: number) => void };

export const unlimitedBudget: Budget = { spend: () => {} };

export const createBudget = (units: number): Budget => {
  let remaining = units;
  return {
    spend: (used) => {
      remaining -= used;
      if (remaining < 0) throw new RangeError('the budget is used up');
    },
  };
};
