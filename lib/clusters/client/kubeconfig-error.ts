/** A kubeconfig, or what stands for one, can't be used. The message names the field and holds no value of a credential. */
export class KubeconfigError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'KubeconfigError'
  }
}
