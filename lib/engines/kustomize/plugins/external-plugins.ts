import { KustomizeError } from '../kustomize-error.ts'
import type { Resource } from '../resource.ts'
import type { GroupPlugins } from './exec/group-plugin.ts'
import type { Generator, PluginEnvironment, Transformer } from './plugin.ts'

/** Programs that generate and transform resources. */
export interface ExternalPlugins {
  /** Plugins that handle a whole API group at once. */
  readonly groups: GroupPlugins | undefined
  generator(config: Resource, environment: PluginEnvironment): Generator
  transformer(config: Resource, environment: PluginEnvironment): Transformer
}

const refuse = (config: Resource): never => {
  throw new KustomizeError(`external plugins disabled; unable to load external plugin '${config.originalId().kind}'`, {
    file: config.origin.file,
    field: 'kind',
  })
}

/** Plugins are off unless the operator allows them. */
export const noExternalPlugins: ExternalPlugins = {
  groups: undefined,
  generator: refuse,
  transformer: refuse,
}
