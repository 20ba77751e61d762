/** A setting that the server cannot start with. Its message is the one line that the operator gets. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
