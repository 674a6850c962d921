import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { fluxVersion } from '../hub/store/built-in-definitions.ts'
import { fluxInstanceReconciler } from '../reconcile/flux-instance/flux-instance.ts'
import { syncWriter } from '../reconcile/flux-instance/sync-writer.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { componentNames } from './component-names.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'
import { version } from './version.ts'

/** The reconciler of the instance of Flux that the hub presents itself as. */
export const composeFluxInstances = (
  { clock }: Pick<Ports, 'clock'>,
  { buildLimits }: Pick<CoreSettings, 'buildLimits'>,
  { hub }: Pick<ComposedHub, 'hub'>,
): readonly Reconciler<KubernetesObject>[] => [
  fluxInstanceReconciler({
    writer: syncWriter(hub),
    clock,
    fluxVersion,
    limits: buildLimits,
    components: componentNames.map(name => ({ name, repository: `keelson.dev/${name}`, tag: `v${version}` })),
  }),
]
