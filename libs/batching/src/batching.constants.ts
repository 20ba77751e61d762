/** Injects the {@link WindowPolicies} that models can name. */
export const WINDOW_POLICIES = Symbol('WINDOW_POLICIES');
