import { errorMessage } from '../../foundations/rules/error-message.ts'
import { serverMessage } from '../../foundations/rules/server-message.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'
import { goValue } from '../oci/go-value.ts'
import { type ErrorResponse, OciError } from '../oci/oci-error.ts'

/**
 * Describes a registry's error in the wording of Helm's client (oras), which differs from go-containerregistry's.
 * `requested` is the requested URL.
 */
export const describeRegistryError = (error: unknown, requested: string, hasCredentials: boolean): string => {
  if (!(error instanceof OciError)) return errorMessage(error)
  if (error.code === 'unreachable') return `Get ${JSON.stringify(requested)}: ${lastReason(error.message)}`
  if (!error.response) return error.message
  const { method, address, status, errors, wantsBasic } = error.response
  const request = `${method} ${JSON.stringify(address)}`
  if (status === 401 && wantsBasic && !hasCredentials) return `${request}: basic credential not found`
  const details = errors.length > 0 ? serverMessage(errors.map(oneError).join('; ')) : reasonPhrase(status)
  return `${request}: response status code ${status}: ${details}`
}

const oneError = ({ code, message, detail }: ErrorResponse['errors'][number]): string => {
  const name = typeof code === 'string' ? code.toLowerCase().replaceAll('_', ' ') : ''
  const parts = [name, typeof message === 'string' ? message : '', detail ? goValue(detail) : '']
  return parts.filter(part => part !== '').join(': ')
}

/** Of several attempts, the reason of the last one. */
const lastReason = (message: string): string => message.replace(/^.*\w+ "[^"]*": /, '')
