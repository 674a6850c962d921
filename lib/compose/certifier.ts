import { randomBytes } from 'node:crypto'
import { newKey } from '../engines/template/certificates/private-key.ts'
import type { Certifier } from '../engines/template/functions/certificates.ts'

/** The clock, random bytes and keys of this machine, which templates of charts may ask for. */
export const certifier: Certifier = { now: Date.now, bytes: randomBytes, newKey }
