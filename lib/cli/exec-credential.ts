/** A token for kubectl, as it expects it from an exec plugin (ExecCredential): one line of JSON. `expiresAt` is in milliseconds since the epoch. */
export const execCredential = (token: string, expiresAt: number, env: NodeJS.ProcessEnv): string => {
  const expirationTimestamp = new Date(expiresAt).toISOString().replace(/\.\d+/, '')
  const status = { expirationTimestamp, token }
  return `${JSON.stringify({ kind: 'ExecCredential', apiVersion: versionAsked(env), spec: {}, status })}\n`
}

/** kubectl names the version of the exchange that it expects; both have the same content. */
const versionAsked = ({ KUBERNETES_EXEC_INFO: info = '' }: NodeJS.ProcessEnv): string =>
  info.includes('client.authentication.k8s.io/v1beta1')
    ? 'client.authentication.k8s.io/v1beta1'
    : 'client.authentication.k8s.io/v1'
