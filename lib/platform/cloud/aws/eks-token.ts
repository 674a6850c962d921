import type { AwsCredentials } from './credentials.ts'
import { presignUrl } from './sign-request.ts'

export interface EksTokenOptions {
  /** The cluster or hub that the token is for; no other accepts it. */
  readonly clusterName: string
  readonly region: string
  /** STS of the region (see `endpointOf`). */
  readonly endpoint: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface EksToken {
  /** A secret: its bearer is authenticated as its signer. */
  readonly token: string
  /** When to get a new one, in milliseconds since the epoch: a minute before it expires, as in the AWS CLI. */
  readonly expiresAt: number
}

/**
 * A bearer token for an EKS cluster or a hub, like that of `aws eks get-token`: a presigned STS GetCallerIdentity request. Makes no request to AWS.
 */
export const eksToken = async (credentials: AwsCredentials, options: EksTokenOptions): Promise<EksToken> => {
  const { clusterName, region, endpoint, now } = options
  const request = {
    method: 'GET',
    url: `${endpoint}/?Action=GetCallerIdentity&Version=2011-06-15`,
    headers: { 'x-k8s-aws-id': clusterName },
  }
  const url = await presignUrl(request, credentials, { service: 'sts', region, now, expiresInS: 60 })
  return { token: `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`, expiresAt: now + 14 * 60_000 }
}
