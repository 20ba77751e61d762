import { existsSync } from 'node:fs';

/** What may be the folders of an absolute path, or of its URL. */
const FOLDERS = /(?<![\w:/.-])(?:file:\/\/)?(\/[^\s'"`:/]+)(?:\/[^\s'"`:/]+)*\/(?=[^\s'"`:/])/g;

/**
 * Why a model cannot be loaded, for whoever asked for it. The reasons of Node and of model code often say where on this
 * machine something lies; of such a path its last part is left. The log has the error as it was thrown.
 */
export function loadFailureReason(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  // A JSON pointer, or a path on another machine, looks the same.
  return reason.replaceAll(FOLDERS, (folders, root: string) => (existsSync(root) ? '' : folders));
}
