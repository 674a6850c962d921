/** A token for kubectl, as it expects it from an exec plugin (ExecCredential): one line of JSON. `expiresAt` is in milliseconds since the epoch. */
export const execCredential = (token: string, expiresAt: number, env: NodeJS.ProcessEnv): string => {
  const expirationTimestamp = new Date(expiresAt).toISOString().replace(/\.\d+/, '')
  const status = { expirationTimestamp, token }
  return `${JSON.stringify({ kind: 'ExecCredential', apiVersion: requestedVersion(env), spec: {}, status })}\n`
}

/** The API version that kubectl requests; both versions have the same content. */
const requestedVersion = ({ KUBERNETES_EXEC_INFO: info = '' }: NodeJS.ProcessEnv): string =>
  info.includes('client.authentication.k8s.io/v1beta1')
    ? 'client.authentication.k8s.io/v1beta1'
    : 'client.authentication.k8s.io/v1'
