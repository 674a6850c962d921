import type { AwsCredentials } from '../../platform/cloud/aws/credentials.ts'
import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import { BucketError } from './bucket-store.ts'
import { bucketHttp, readErrorResponse } from './error-response.ts'
import { xmlText } from './xml-fields.ts'

export interface LdapOptions extends ConnectionOptions {
  readonly endpoint: string
  readonly username: string
  readonly password: string
  readonly signal: AbortSignal
}

/** S3 credentials from MinIO's token service for a user of an LDAP directory. Fails with BucketError. */
export const ldapCredentials = async (
  { endpoint, username, password, signal, ...connection }: LdapOptions,
  connections: Connections,
): Promise<AwsCredentials> => {
  const opened = connections.open(connection)
  try {
    const url = URL.parse(endpoint)
    if (!url) throw new BucketError('protocol', `failed to parse STS endpoint '${endpoint}'`)
    const response = await bucketHttp(
      opened.agent,
      signal,
    )({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(
        new URLSearchParams({
          Action: 'AssumeRoleWithLDAPIdentity',
          Version: '2011-06-15',
          LDAPUsername: username,
          LDAPPassword: password,
        }).toString(),
      ),
    })
    if (response.status !== 200) throw (await readErrorResponse(response)).error
    const xml = (await response.bytes(64 << 10)).toString('utf8')
    const [accessKeyId, secretAccessKey] = [xmlText(xml, 'AccessKeyId'), xmlText(xml, 'SecretAccessKey')]
    if (!accessKeyId || !secretAccessKey) throw new BucketError('protocol', 'the token service returned no credentials')
    return { accessKeyId, secretAccessKey, sessionToken: xmlText(xml, 'SessionToken') }
  } finally {
    await opened.close()
  }
}
