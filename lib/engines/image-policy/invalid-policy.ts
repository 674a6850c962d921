/** A policy that can't be used. The message is image-reflector-controller's. */
export class InvalidPolicy extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidPolicy'
  }
}
