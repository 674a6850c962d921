import type { Budget } from '../../foundations/budget/budget.ts'
import type { HelmOptions } from './generators/helm.ts'
import type { BuildMemory } from './memory/build-memory.ts'
import type { ExternalPlugins } from './plugins/external-plugins.ts'
import type { BuildSchema } from './schema/build-schema.ts'

/** State shared by all kustomizations of one build. */
export interface BuildContext {
  readonly schema: BuildSchema
  readonly budget: Budget
  readonly warn: (warning: string) => void
  readonly reorder: 'none' | 'legacy' | undefined
  readonly managedByLabel: boolean
  readonly plugins: ExternalPlugins
  readonly memory: BuildMemory
  readonly helm: HelmOptions | undefined
}
