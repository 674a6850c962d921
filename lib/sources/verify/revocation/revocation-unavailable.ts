import { InvalidDer } from '../../../foundations/der/read-der.ts'

/**
 * The revocation status is not known: no server responded, or no response could be trusted. The message gives the
 * reason.
 */
export class RevocationUnavailable extends Error {
  /** A trusted responder does not know the status: other responders need not be tried. */
  readonly isFinal: boolean
  constructor(message: string, { cause, isFinal = false }: { cause?: unknown; isFinal?: boolean } = {}) {
    super(message, { cause })
    this.name = 'RevocationUnavailable'
    this.isFinal = isFinal
  }
}

/** Whether an error was caused by the responses of servers. */
export const isRevocationUnavailable = (error: unknown): error is Error =>
  error instanceof RevocationUnavailable || error instanceof InvalidDer
