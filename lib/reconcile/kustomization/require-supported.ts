import type { Kustomization } from '../../kinds/kustomization.ts'
import { Halt } from '../runtime/halt.ts'
import type { KustomizationSettings } from './settings.ts'

/** Halts when the spec asks for something that would be left out silently otherwise. */
export const requireSupported = ({ spec }: Kustomization, settings: KustomizationSettings): void => {
  const account = spec.serviceAccountName ? 'spec.serviceAccountName' : 'the default service account'
  const unsupported = [
    spec.decryption && 'spec.decryption',
    spec.healthCheckExprs?.length && 'spec.healthCheckExprs',
    spec.ignore?.length && 'spec.ignore',
    spec.dependsOn?.some(({ readyExpr }) => readyExpr) && 'spec.dependsOn[].readyExpr',
    spec.kubeConfig?.configMapRef && 'spec.kubeConfig.configMapRef',
    !spec.kubeConfig &&
      (spec.serviceAccountName || settings.defaultServiceAccount) &&
      `${account} without spec.kubeConfig`,
  ].filter(field => typeof field === 'string')
  if (unsupported.length === 0) return
  const message = `${unsupported.join(', ')}: not supported by this version of Keelson; nothing was applied`
  throw new Halt({ type: 'stalled', reason: 'NotSupported', message })
}
