import type { OpenPgp, OpenPgpRequest } from '../../platform/ports/open-pgp.ts'
import type { FunctionResponse } from './invoke-function.ts'

/** The response of the function `openpgp`: bytes in base64. */
export const handleOpenPgp = async (openPgp: OpenPgp, request: OpenPgpRequest): Promise<FunctionResponse> => {
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
    case 'sign':
      return openPgp.sign(Buffer.from(request.payload, 'base64'), request.privateKey, request.passphrase || undefined)
    case 'checkPrivateKeys':
      await openPgp.checkPrivateKeys(request.armored)
      return ''
    case 'decrypt':
      return Buffer.from(await openPgp.decrypt(request.armored, request.privateKeys)).toString('base64')
  }
}
