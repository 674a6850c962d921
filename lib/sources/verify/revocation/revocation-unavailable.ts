import { BadDer } from '../../../foundations/der/read-der.ts'

/** What was asked about a certificate is not known: nobody answered, or what they say proves nothing. The message says why. */
export class RevocationUnavailable extends Error {
  /** Somebody who must know says that it is not known: nobody else need be asked in the same way. */
  readonly isAnswer: boolean
  constructor(message: string, { cause, isAnswer = false }: { cause?: unknown; isAnswer?: boolean } = {}) {
    super(message, { cause })
    this.name = 'NoEvidence'
    this.isAnswer = isAnswer
  }
}

/** Whether something failed because of what others sent. */
export const isRevocationUnavailable = (error: unknown): error is Error =>
  error instanceof RevocationUnavailable || error instanceof BadDer
