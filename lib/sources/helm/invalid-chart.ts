/** A chart, or a repository's index, that Helm would refuse too. The message is Helm's if there is one. */
export class InvalidChart extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InvalidChart'
  }
}
