import type { Hub } from '../../bed/hub.ts'

/** Where a tool of somebody else is walked through. */
export interface Walk {
  /** That of flux-release-world.ts, prepared. */
  readonly hub: Pick<Hub, 'kubectl' | 'get'>
  /** What the tool is given. */
  readonly kubeconfig: string
  /** The Kustomization in `flux-system` that is opened, and acted on. */
  readonly unit: string
}

/** Makes what a tool deletes, the ConfigMap `spare`, and a difference between the HelmRelease `web` and git: its timeout. */
export const prepareWalk = async (hub: Pick<Hub, 'kubectl' | 'apply'>): Promise<void> => {
  await hub.apply('{apiVersion: v1, kind: ConfigMap, metadata: {name: spare, namespace: flux-system}, data: {a: b}}')
  const web = ['helmrelease/web', '-n', 'flux-system']
  const drift = JSON.stringify({ spec: { timeout: '6m' } })
  const generation = await hub.kubectl(
    'patch',
    ...web,
    '--type=merge',
    '-p',
    drift,
    '-o',
    'jsonpath={.metadata.generation}',
  )
  await hub.kubectl('wait', ...web, `--for=jsonpath={.status.observedGeneration}=${generation}`, '--timeout=5m')
  await hub.kubectl('wait', ...web, '--for=condition=Ready', '--timeout=5m')
}

export interface Unit {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: { readonly suspend?: boolean }
  readonly status: { readonly lastHandledReconcileAt?: string; readonly lastAppliedRevision: string }
}

/** A Kustomization in `flux-system`, as the hub has it. */
export const unitAt = ({ hub, unit }: Walk): Promise<Unit> => hub.get<Unit>('kustomization', unit, '-n', 'flux-system')
