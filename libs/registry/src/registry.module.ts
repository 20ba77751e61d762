import { MODEL_DIRECTORY } from '#model';
import { ConfigurableModuleBuilder, Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ConfiguredModels } from './configured-models.js';
import { RegistryEvents } from './events/registry-events.js';
import { modelToken } from './handle/inject-model.decorator.js';
import { ModelHandle } from './handle/model-handle.js';
import { InlineModelExplorer } from './inline-model-explorer.js';
import { ModelRegistry } from './model-registry.js';
import { RegistryShutdown } from './registry-shutdown.js';
import { REGISTRY_OPTIONS, type RegistryModuleOptions } from './registry.options.js';
import { ModelSourceResolver } from './source/model-source-resolver.js';
import { ModelVersionFactory } from './version/model-version-factory.js';

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<RegistryModuleOptions>({
  moduleName: 'Registry',
  optionsInjectionToken: REGISTRY_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();

/** Serves models: those that it is told of, and the application's own inline ones. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    ModelVersionFactory,
    RegistryEvents,
    ModelSourceResolver,
    ModelRegistry,
    ConfiguredModels,
    InlineModelExplorer,
    RegistryShutdown,
    { provide: MODEL_DIRECTORY, useExisting: ModelRegistry },
  ],
  exports: [ModelRegistry, RegistryEvents, ModelSourceResolver, ConfiguredModels, MODEL_DIRECTORY],
})
export class RegistryModule extends ConfigurableModuleClass {
  /** Provides handles to these models, for `@InjectModel()`. A model need not exist yet. */
  static forFeature(...names: readonly string[]): DynamicModule {
    const providers = names.map((name) => ({
      provide: modelToken(name),
      inject: [ModelRegistry],
      useFactory: (registry: ModelRegistry) => new ModelHandle(registry, name),
    }));
    class RegistryFeatureModule {}
    return { module: RegistryFeatureModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
