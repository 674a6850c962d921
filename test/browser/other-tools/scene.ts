import type { Hub } from '../../bed/hub.ts'

/** Where a tool of somebody else is walked through: a hub of flux-release-world.ts, with the ConfigMap `spare`. */
export interface Walk {
  readonly hub: Pick<Hub, 'kubectl' | 'get'>
  /** What the tool is given. */
  readonly kubeconfig: string
  /** The Kustomization in `flux-system` that is opened, and acted on. */
  readonly unit: string
}

/** What a tool deletes. */
export const spare =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: spare, namespace: flux-system }\ndata: { a: b }\n'

export interface Unit {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: { readonly suspend?: boolean }
  readonly status: { readonly lastHandledReconcileAt?: string; readonly lastAppliedRevision: string }
}

/** A Kustomization in `flux-system`, as the hub has it. */
export const unitAt = ({ hub, unit }: Walk): Promise<Unit> => hub.get<Unit>('kustomization', unit, '-n', 'flux-system')
