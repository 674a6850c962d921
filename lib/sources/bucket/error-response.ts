import { describeBody, serverMessage } from '../../foundations/rules/server-message.ts'
import type { HttpAgent } from '../../platform/http/guarded-agent.ts'
import {
  describeHttpFailure,
  type HttpResponse,
  httpClient,
  type SendRequest,
} from '../../platform/http/http-client.ts'
import { downloadPolicy } from '../../platform/http/http-policy.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'
import { BucketError } from './bucket-store.ts'
import { xmlElements, xmlText } from './xml-fields.ts'

const ERROR_BYTES = 64 << 10

/** Sends requests to an object store. Fails with BucketError. */
export const bucketHttp = (agent: HttpAgent, signal: AbortSignal): SendRequest =>
  httpClient({
    ...{ agent, policy: downloadPolicy, signal },
    fail: failure => new BucketError(failure.code, describeHttpFailure(failure), failure.cause),
  })

/** Reads the error of an object store: S3's and Azure's XML, or Google's JSON. */
export const readErrorResponse = async (
  response: HttpResponse,
): Promise<{ code: string; message: string; region: string; error: BucketError }> => {
  const body = await response.bytes(ERROR_BYTES)
  const text = body.toString('utf8')
  const [xml = ''] = xmlElements(text, 'Error')
  const code = xmlText(xml, 'Code')
  const serverText = serverMessage(xmlText(xml, 'Message') || messageInJson(text))
  const status = `${response.status} ${reasonPhrase(response.status)}`.trim()
  const described = describeBody(body.length, response.headers['content-type'])
  const message = serverText || (described ? `${status}: ${described}` : status)
  const isUnauthorized = response.status === 401 || response.status === 403
  const { 'x-amz-bucket-region': region } = response.headers
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
