/** Ends work that turns out larger than it may be. @throws RangeError from `spend` once more has been spent than there is */
export type Budget = { spend: (units: number) => void };

export const unlimitedBudget: Budget = { spend: () => {} };

export const createBudget = (units: number): Budget => {
  let left = units;
  return {
    spend: (spent) => {
      left -= spent;
      if (left < 0) throw new RangeError('the budget is spent');
    },
  };
};
