import type { ModelDirectory, RoutingRequest, ServedModel } from './model-directory.js';

/** Which model a request asks for. */
export interface RequestedModel {
  readonly name: string;
  /** Left out for the latest. */
  readonly version?: string;
}

const MODEL_OF_ROUTE = Symbol.for('smartbatch.model-of-route');
const MODEL_OF_REQUEST = Symbol.for('smartbatch.model-of-request');

/**
 * Names the model that a route of an application's own serves, for `AdmissionGuard` and
 * `CircuitBreakerInterceptor`. Without it they take the route's parameter `name` and the query's `version`.
 */
export function ServesModel(name: string, version?: string): MethodDecorator {
  return (_target, _property, descriptor) => {
    const value = version === undefined ? { name } : { name, version };
    Object.defineProperty(descriptor.value as object, MODEL_OF_ROUTE, { value });
  };
}

/** What {@link ServesModel} says of a route's method. */
export function modelOfRoute(method: object): RequestedModel | undefined {
  return (method as Record<symbol, RequestedModel | undefined>)[MODEL_OF_ROUTE];
}

/** Remembers the model that a request was resolved to, for whoever handles the request next. */
export function setModelOfRequest(request: object, model: ServedModel): void {
  (request as Record<symbol, ServedModel>)[MODEL_OF_REQUEST] = model;
}

/** The model that a request was resolved to, if it was. */
export function modelOfRequest(request: object): ServedModel | undefined {
  return (request as Record<symbol, ServedModel | undefined>)[MODEL_OF_REQUEST];
}

/** What of an HTTP request may name a model. */
export interface ModelRequest extends RoutingRequest {
  readonly params?: { readonly name?: string };
  readonly query?: { readonly version?: string };
}

/**
 * The model that a request is for: the one it was resolved to, else what {@link ServesModel} says of its route, else
 * what its route's parameter `name` and its query's `version` say. Remembers it.
 *
 * @param method that handles the route
 * @returns `undefined` when nothing names a model
 * @throws {ServingError} `model_not_found` or `version_not_found`
 */
export function resolveModelOf(
  request: ModelRequest,
  method: object,
  directory: ModelDirectory,
): ServedModel | undefined {
  const resolved = modelOfRequest(request);
  if (resolved !== undefined) return resolved;
  const { params, query } = request;
  const name = params?.name;
  const requested =
    modelOfRoute(method) ?? (name === undefined ? undefined : { name, version: query?.version });
  if (requested === undefined) return undefined;
  const model = directory.resolve(requested.name, requested.version, request);
  setModelOfRequest(request, model);
  return model;
}
