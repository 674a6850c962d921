import type { OpenPgpRequest } from '../lib/platform/ports/open-pgp.ts'
import { EventError, fieldsOf } from './event-error.ts'

const event = 'request for OpenPGP'

/** Parses the requests of other functions to the function `openpgp`. Fails with EventError, which quotes nothing of keys. */
export const parseOpenPgpRequest = (value: unknown): OpenPgpRequest => {
  const request = fieldsOf(event, value)
  const texts = (name: string): string[] => {
    const found = request.value(name)
    if (Array.isArray(found) && found.every(item => typeof item === 'string')) return found
    throw new EventError(event, `${name} is not a list of strings`)
  }
  const operation = request.text('operation')
  switch (operation) {
    case 'verify':
      return {
        ...{ operation, payload: request.text('payload'), signature: request.text('signature') },
        keyRings: texts('keyRings'),
      }
    case 'sign':
      return {
        ...{ operation, payload: request.text('payload'), privateKey: request.text('privateKey') },
        passphrase: request.text('passphrase'),
      }
    case 'checkPrivateKeys':
      return { operation, armored: request.text('armored') }
    case 'decrypt':
      return { operation, armored: request.text('armored'), privateKeys: texts('privateKeys') }
    default:
      throw new EventError(event, `operation is ${JSON.stringify(operation)}`)
  }
}

/** With an invalid signature: the response says so. */
export const sample = {
  operation: 'verify',
  payload: Buffer.from('tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n').toString('base64'),
  signature: '-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n',
  keyRings: [],
} satisfies OpenPgpRequest
