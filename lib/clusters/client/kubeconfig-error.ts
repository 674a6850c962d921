/** A kubeconfig, or a ConfigMap in its place, is unusable. The message names the field and quotes no credential. */
export class KubeconfigError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'KubeconfigError'
  }
}
