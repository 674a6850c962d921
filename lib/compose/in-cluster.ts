import { KubeconfigError } from '../clusters/client/kubeconfig.ts'

const folder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** A kubeconfig for the ServiceAccount of this Pod, as client-go finds it (rest.InClusterConfig). Fails with a KubeconfigError outside of a Pod. */
export const inClusterKubeconfig = async (
  { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port }: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => Promise<string>,
): Promise<string> => {
  if (!host || !port) throw new KubeconfigError('the runner is in no Pod: give it a kubeconfig')
  const [token, authority] = await Promise.all([readFile(`${folder}/token`), readFile(`${folder}/ca.crt`)])
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  const cluster = { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') }
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'pod',
    clusters: [{ name: 'pod', cluster }],
    users: [{ name: 'pod', user: { token: token.trim() } }],
    contexts: [{ name: 'pod', context: { cluster: 'pod', user: 'pod' } }],
  })
}
