import { createReferences } from '../hub/references/references.ts'
import { defaultResourceSetSettings } from '../reconcile/resource-set/settings.ts'
import { copiedSourcesBy } from '../reconcile/runner/copied-sources.ts'
import type { CopiedSources } from '../reconcile/runner/data-of-set.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Finds what ResourceSets of runners copy, in this process. */
export const composeCopiedSources = (
  ports: Ports,
  settings: CoreSettings,
  { hub }: Pick<ComposedHub, 'hub'>,
): CopiedSources =>
  copiedSourcesBy({
    ...{ ...ports, references: createReferences(hub) },
    settings: { ...defaultResourceSetSettings, ...settings },
  })
