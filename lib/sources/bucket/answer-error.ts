import { describeBody, serverMessage } from '../../foundations/rules/server-message.ts'
import type { HttpResponse, MakeError } from '../../platform/http/http-client.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'
import { BucketError } from './bucket-store.ts'
import { xmlElements, xmlText } from './xml-fields.ts'

const ERROR_BYTES = 64 << 10

/** How exchanges with object stores fail. */
export const bucketFailing: MakeError = (code, message, cause) => new BucketError(code, message, cause)

/** What an object store says when it refuses: in S3's and Azure's XML, or Google's JSON. */
export const readRefusal = async (
  answer: HttpResponse,
): Promise<{ code: string; message: string; region: string; error: BucketError }> => {
  const body = await answer.bytes(ERROR_BYTES)
  const text = body.toString('utf8')
  const [xml = ''] = xmlElements(text, 'Error')
  const code = xmlText(xml, 'Code')
  const said = serverMessage(xmlText(xml, 'Message') || messageInJson(text))
  const status = `${answer.status} ${reasonPhrase(answer.status)}`.trim()
  const described = describeBody(body.length, answer.headers['content-type'])
  const message = said || (described ? `${status}: ${described}` : status)
  const isUnauthorized = answer.status === 401 || answer.status === 403
  const { 'x-amz-bucket-region': region } = answer.headers
  return {
    code,
    message,
    region: typeof region === 'string' ? region : xmlText(xml, 'Region'),
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
