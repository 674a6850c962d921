import type { CloudPorts } from '../cloud-ports.ts'
import { type JsonResponse, requestJson } from '../send-request.ts'
import type { AwsCredentials } from './credentials.ts'
import { signRequest } from './sign-request.ts'

export interface AwsJsonCall {
  /** For example `https://kms.eu-west-1.amazonaws.com`. */
  readonly endpoint: string
  /** The service in the signature: `kms`, `ecr`. */
  readonly service: string
  readonly region: string
  /** The operation with its prefix: `TrentService.Decrypt`. */
  readonly target: string
  readonly body: Readonly<Record<string, unknown>>
  /** Of the protocol: 1.1 unless given. */
  readonly jsonVersion?: '1.0'
  readonly credentials: AwsCredentials
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** Calls an operation of a service that uses AWS JSON (KMS, ECR, Secrets Manager, SQS ...). Fails with CloudError. */
export const awsJsonCall = async ({ fetch, clock }: CloudPorts, call: AwsJsonCall): Promise<JsonResponse> => {
  const { endpoint, service, region, target, credentials, signal, timeoutMs, jsonVersion = '1.1' } = call
  const url = `${endpoint}/`
  const body = JSON.stringify(call.body)
  const unsigned = { 'content-type': `application/x-amz-json-${jsonVersion}`, 'x-amz-target': target }
  const request = { method: 'POST' as const, url, headers: unsigned, body }
  const { host: _, ...headers } = await signRequest(request, credentials, { service, region, now: clock.now() })
  const what = target.replace(/^.*\./, '')
  return requestJson(fetch, { ...request, service: 'AWS', what, headers, signal, timeoutMs })
}
