/** An error of the service in a task. Another attempt would fail in the same way. The message is for the log. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
}
