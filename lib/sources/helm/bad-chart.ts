/** A chart, or a repository's index, that Helm would not take either. The message is Helm's where it has one. */
export class BadChart extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BadChart'
  }
}
