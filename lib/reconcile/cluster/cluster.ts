import { type Cluster, intervalOf, timeoutOf } from '../../foundations/kinds/cluster.ts'
import type { Reconciler } from '../runtime/reconciler.ts'
import { clusterAddress } from './cluster-address.ts'
import type { ClusterProbePorts } from './probe-pass.ts'

const timeToReadAndWriteMs = 20_000

/**
 * Probes clusters: whether each responds, whether it accepts the hub's credential, and until when that is valid. The probe is loaded with the
 * first of them: on AWS its function starts for Kustomizations, too.
 */
export const clusterReconciler = (ports: ClusterProbePorts): Reconciler<Cluster> => ({
  ...clusterAddress,
  manager: 'keelson',
  intervalOf,
  passTimeoutOf: object => timeoutOf(object) + timeToReadAndWriteMs,
  reconcile: async (object, pass) => {
    const { probePass } = await import('./probe-pass.ts')
    return probePass(ports, object, pass)
  },
  finalize: async () => undefined,
})
