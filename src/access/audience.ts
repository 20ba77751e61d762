import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

/** Whom a route is for. `monitors` are operators, or everyone where the setting `metrics` says so. */
export type Audience = 'everyone' | 'clients' | 'monitors' | 'operators';

/** Where a route's configuration holds its {@link Audience}. */
export const AUDIENCE = 'smartbatchAudience';

type AudienceDecorator = ClassDecorator & MethodDecorator;

/** The route answers anyone. */
export const Public = (): AudienceDecorator => boundTo('everyone');

/** The route answers who has an API key, or anyone where no keys are set. */
export const ForClients = (): AudienceDecorator => boundTo('clients');

/** The route answers who has an admin token, or this machine's user where none is set. */
export const ForOperators = (): AudienceDecorator => boundTo('operators');

/** Binds a controller's methods, but for those that say an audience of their own, or one method. */
function boundTo(audience: Audience): AudienceDecorator {
  return (target: object, _name?: string | symbol, descriptor?: PropertyDescriptor) => {
    if (descriptor !== undefined) {
      Reflect.defineMetadata(AUDIENCE, audience, descriptor.value as object);
      return configure(audience, descriptor);
    }
    const { prototype } = target as { prototype: object };
    const { constructor: _, ...members } = Object.getOwnPropertyDescriptors(prototype);
    for (const member of Object.values(members)) {
      if (typeof member.value === 'function')
        configure(ownAudience(member.value as object) ?? audience, member);
    }
  };
}

/** Nest gives a route one configuration: what other decorators have put into it must stay. */
function configure(audience: Audience, method: PropertyDescriptor): void {
  const configuration = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, method.value as object) as object;
  RouteConfig({ ...configuration, [AUDIENCE]: audience })(method.value, '', method);
}

/** Kept apart, since a `@RouteConfig()` above a method's decorator takes its configuration away. */
function ownAudience(method: object): Audience | undefined {
  return Reflect.getMetadata(AUDIENCE, method) as Audience | undefined;
}
