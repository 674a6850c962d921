import type { Answer, Failing } from '../../http/exchange.ts'
import { statusWords } from '../../http/status-words.ts'
import { BucketError } from './bucket-store.ts'
import { xmlText } from './xml-fields.ts'

const ERROR_BYTES = 64 << 10
const LONGEST_MESSAGE = 500

/** How exchanges with object stores fail. */
export const bucketFailing: Failing = (code, message, cause) => new BucketError(code, message, cause)

/** What an object store says when it refuses: in S3's and Azure's XML, or Google's JSON. */
export const readRefusal = async (
  answer: Answer,
): Promise<{ code: string; message: string; region: string; error: BucketError }> => {
  const text = (await answer.bytes(ERROR_BYTES)).toString('utf8')
  const code = xmlText(text, 'Code')
  const said = xmlText(text, 'Message') || messageInJson(text)
  const message = (said || `${answer.status} ${statusWords(answer.status)}`.trim()).slice(0, LONGEST_MESSAGE)
  const isUnauthorized = answer.status === 401 || answer.status === 403
  const { 'x-amz-bucket-region': region } = answer.headers
  return {
    code,
    message,
    region: typeof region === 'string' ? region : xmlText(text, 'Region'),
    error: new BucketError(isUnauthorized ? 'unauthorized' : 'refused', message),
  }
}

const messageInJson = (text: string): string => {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown } }
    return typeof error?.message === 'string' ? error.message : ''
  } catch {
    return ''
  }
}
