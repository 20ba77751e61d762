import { MODEL_DIRECTORY } from '#model';
import { LOGGER } from '#telemetry';
import { ConfigurableModuleBuilder, Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { Logger } from 'pino';
import { ConfiguredModels } from './configured-models.js';
import { DefinitionReader } from './definition/definition-reader.js';
import { ModuleSourceKind } from './definition/module-source-kind.js';
import { OnnxSourceKind } from './definition/onnx-source-kind.js';
import { SOURCE_KINDS, type SourceKind } from './definition/source-kind.js';
import { RegistryEvents } from './events/registry-events.js';
import { modelToken } from './handle/inject-model.decorator.js';
import { ModelHandle } from './handle/model-handle.js';
import { InlineModelExplorer } from './inline-model-explorer.js';
import { Registrations } from './life-cycle/registrations.js';
import { ServedVersions } from './life-cycle/served-versions.js';
import { VersionLifeCycle } from './life-cycle/version-life-cycle.js';
import { VersionUpdate } from './life-cycle/version-update.js';
import { ModelRegistry } from './model-registry.js';
import { FileRegistryStore } from './persistence/file-registry-store.js';
import { NoRegistryStore } from './persistence/no-registry-store.js';
import { REGISTRY_STORE } from './persistence/registry-store.js';
import { RememberedModels } from './persistence/remembered-models.js';
import { RestoredModels } from './persistence/restored-models.js';
import { StoredState } from './persistence/stored-state.js';
import { RegistryShutdown } from './registry-shutdown.js';
import { REGISTRY_OPTIONS, type RegistryModuleOptions } from './registry.options.js';
import { RepositoryLoader } from './repository/repository-loader.js';
import { ModelSourceResolver } from './source/model-source-resolver.js';
import { ShadowTraffic } from './traffic/shadow-traffic.js';
import { TrafficRules } from './traffic/traffic-rules.js';
import { TrafficTable } from './traffic/traffic-table.js';
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
    ModuleSourceKind,
    OnnxSourceKind,
    {
      provide: SOURCE_KINDS,
      inject: [ModuleSourceKind, OnnxSourceKind],
      useFactory: (...kinds: SourceKind[]) => kinds,
    },
    DefinitionReader,
    {
      provide: REGISTRY_STORE,
      inject: [REGISTRY_OPTIONS, LOGGER],
      useFactory: ({ store, stateDirectory }: RegistryModuleOptions, logger: Logger) =>
        store ??
        (stateDirectory === undefined
          ? new NoRegistryStore()
          : new FileRegistryStore(stateDirectory, logger)),
    },
    StoredState,
    RememberedModels,
    Registrations,
    ServedVersions,
    VersionLifeCycle,
    VersionUpdate,
    TrafficTable,
    TrafficRules,
    ShadowTraffic,
    ModelRegistry,
    // Before those that were registered at run time, since what is configured goes first.
    ConfiguredModels,
    RepositoryLoader,
    RestoredModels,
    InlineModelExplorer,
    RegistryShutdown,
    { provide: MODEL_DIRECTORY, useExisting: ModelRegistry },
  ],
  exports: [
    ModelRegistry,
    RegistryEvents,
    ModelSourceResolver,
    DefinitionReader,
    StoredState,
    TrafficRules,
    ShadowTraffic,
    ConfiguredModels,
    MODEL_DIRECTORY,
  ],
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
