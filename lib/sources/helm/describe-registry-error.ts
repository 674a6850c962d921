import { errorMessage } from '../../foundations/rules/error-message.ts'
import { serverMessage } from '../../foundations/rules/server-message.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'
import { goValue } from '../oci/go-value.ts'
import { OciError, type Refusal } from '../oci/oci-error.ts'

/**
 * What went wrong with a registry of charts, in the words of the client that Helm uses (oras), which are others than those of
 * go-containerregistry. `asked`: the address that an answer was wanted from.
 */
export const describeRegistryError = (error: unknown, asked: string, hasCredentials: boolean): string => {
  if (!(error instanceof OciError)) return errorMessage(error)
  if (error.code === 'unreachable') return `Get ${JSON.stringify(asked)}: ${lastReason(error.message)}`
  if (!error.refusal) return error.message
  const { method, address, status, errors, wantsBasic } = error.refusal
  const request = `${method} ${JSON.stringify(address)}`
  if (status === 401 && wantsBasic && !hasCredentials) return `${request}: basic credential not found`
  const told = errors.length > 0 ? serverMessage(errors.map(oneError).join('; ')) : reasonPhrase(status)
  return `${request}: response status code ${status}: ${told}`
}

const oneError = ({ code, message, detail }: Refusal['errors'][number]): string => {
  const name = typeof code === 'string' ? code.toLowerCase().replaceAll('_', ' ') : ''
  const parts = [name, typeof message === 'string' ? message : '', detail ? goValue(detail) : '']
  return parts.filter(part => part !== '').join(': ')
}

/** Of several attempts, why the last one failed. */
const lastReason = (message: string): string => message.replace(/^.*\w+ "[^"]*": /, '')
