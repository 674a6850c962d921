import { randomBytes } from 'node:crypto'
import { newKey } from '../engines/template/certificates/private-key.ts'
import type { Certifier } from '../engines/template/functions/certificates.ts'

/** The clock, random bytes and keys that templates of charts may use. */
export const certifier: Certifier = { now: Date.now, bytes: randomBytes, newKey }
