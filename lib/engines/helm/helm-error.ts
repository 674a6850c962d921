/** A chart that can't be rendered with these values. The message is Helm's. */
export class HelmError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'HelmError'
  }
}

/** The templates failed, or their output isn't valid Kubernetes objects: `helm template --debug` would print it. */
export class RenderError extends HelmError {
  constructor(message: string, cause?: unknown) {
    super(message, cause)
    this.name = 'RenderError'
  }
}
