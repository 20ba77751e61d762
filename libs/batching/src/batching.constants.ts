/** Injects the {@link WindowPolicies} that models can name. */
export const WINDOW_POLICIES = Symbol('WINDOW_POLICIES');

/** Injects the {@link DeviceArbiter} that all models share. */
export const DEVICE_ARBITER = Symbol('DEVICE_ARBITER');
