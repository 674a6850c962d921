import { createHmac } from 'node:crypto'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import type { AwsCredentials } from '../../platform/cloud/aws/credentials.ts'
import { isRegion } from '../../platform/cloud/aws/regions.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'

/**
 * User and password for a repository of AWS CodeCommit, valid for 15 minutes: a signature (version 4, as made by AWS'
 * git credential helper) of a request with the method GIT. `now` is in ms since the epoch. Fails with CloudError for
 * other addresses.
 */
export const codeCommitLogin = (
  url: URL,
  credentials: AwsCredentials,
  now: number,
): { readonly username: string; readonly password: string } => {
  const region = codeCommitRegion(url)
  const time = `${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '')}`
  const date = time.slice(0, 8)
  const scope = `${date}/${region}/codecommit/aws4_request`
  const request = `GIT\n${url.pathname}\n\nhost:${url.host}\n\nhost\n`
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256Hex(request)}`
  const key = [date, region, 'codecommit', 'aws4_request'].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    Buffer.from(`AWS4${credentials.secretAccessKey}`),
  )
  const { accessKeyId, sessionToken } = credentials
  const username = sessionToken ? `${accessKeyId}%${sessionToken}` : accessKeyId
  return { username, password: `${time}Z${hmac(key, text).toString('hex')}` }
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The region of a CodeCommit repository. Fails with CloudError if the address is not one of CodeCommit. */
export const codeCommitRegion = ({ protocol, hostname }: URL): string => {
  const [, region = ''] = /^git-codecommit(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/.exec(hostname) ?? []
  if (protocol === 'https:' && isRegion(region)) return region
  throw new CloudError('AWS', `invalid AWS CodeCommit Git URL: ${hostname}`)
}
