import { emitJson } from '../yaml/emit-json.ts'

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string
  /** PEM. */
  readonly authority: string
  readonly token: string
  /** Names the cluster, the user and the context. */
  readonly name?: string
}

/** A kubeconfig (YAML) with which kubectl and flux reach this hub. It holds a token: only its owner may read it. */
export const kubeconfig = ({ server, authority, token, name = 'keelson' }: KubeconfigOptions): string =>
  emitJson({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
