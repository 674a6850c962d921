import { InvalidDer } from '../../../foundations/der/read-der.ts'

/** The revocation status is not known: no server answered, or no response could be trusted. The message says why. */
export class RevocationUnavailable extends Error {
  /** A trusted responder does not know the status: other responders need not be tried. */
  readonly isAnswer: boolean
  constructor(message: string, { cause, isAnswer = false }: { cause?: unknown; isAnswer?: boolean } = {}) {
    super(message, { cause })
    this.name = 'RevocationUnavailable'
    this.isAnswer = isAnswer
  }
}

/** Whether an error was caused by the responses of servers. */
export const isRevocationUnavailable = (error: unknown): error is Error =>
  error instanceof RevocationUnavailable || error instanceof InvalidDer
