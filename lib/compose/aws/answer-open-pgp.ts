import type { OpenPgp, OpenPgpRequest } from '../../platform/ports/open-pgp.ts'

/** How it ended: what was asked for, bytes in base64; or why not. */
type OpenPgpAnswer = { readonly value: string } | { readonly error: string }

/** What the function `openpgp` answers. */
export const answerOpenPgp = async (openPgp: OpenPgp, request: OpenPgpRequest): Promise<OpenPgpAnswer> => {
  try {
    return { value: await outcomeOf(openPgp, request) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

const outcomeOf = async (openPgp: OpenPgp, request: OpenPgpRequest): Promise<string> => {
  switch (request.operation) {
    case 'verify':
      return openPgp.verify(Buffer.from(request.payload, 'base64'), request.signature, request.keyRings)
    case 'checkPrivateKeys':
      await openPgp.checkPrivateKeys(request.armored)
      return ''
    case 'decrypt':
      return Buffer.from(await openPgp.decrypt(request.armored, request.privateKeys)).toString('base64')
  }
}
