import { Module, type DynamicModule } from '@nestjs/common';
import { AccessControl, type AccessRules } from './access-control.js';

/** Provides the {@link AccessControl} to whoever answers differently by who asks. */
@Module({})
export class AccessModule {
  static forRoot(rules: AccessRules): DynamicModule {
    return {
      module: AccessModule,
      global: true,
      providers: [{ provide: AccessControl, useValue: new AccessControl(rules) }],
      exports: [AccessControl],
    };
  }
}
