/** Injects the {@link RegistryStore}. */
export const REGISTRY_STORE = Symbol('REGISTRY_STORE');

/** A model that was registered at run time. */
export interface StoredModel {
  readonly name: string;
  /** The label that it got, which a restart gives it again. */
  readonly version: string;
  /** What it was registered with: where it is, and its options under their REST names. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What a restart must not forget. */
export interface RegistryState {
  readonly models: readonly StoredModel[];
  /** Traffic rules by model name, as REST takes them. */
  readonly traffic?: Readonly<Record<string, unknown>>;
}

/** Keeps a registry's state where it survives the process. */
export interface RegistryStore {
  /**
   * Called once, before everything else.
   *
   * @throws {Error} when this server must not have the state, for example since another one has it. It does not start then
   */
  open?(): Promise<void>;
  /** Called when the server ends. */
  close?(): Promise<void>;
  /** The state that was written last; an empty one when there is none. */
  read(): Promise<RegistryState>;
  /**
   * Writes a state. However the process ends meanwhile, what is read later is this state or the one before. Calls do
   * not overlap.
   *
   * @throws {Error} when it could not be written; the one before is still there then
   */
  write(state: RegistryState): Promise<void>;
}
