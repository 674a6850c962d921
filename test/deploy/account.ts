import { type AwsAnswer, awsRequests } from '../bed/aws/aws-request.ts'
import type { AwsEmulator } from '../bed/aws/emulator.ts'

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** What tests do in an emulated account, as root unless `as` somebody else. Failures name the operation. */
export interface Account {
  /** An IAM user with an access key, who may do nothing. */
  user(name: string): Promise<Credentials & { readonly arn: string }>
  /** Credentials of a function's role, as Lambda gives them to it. */
  roleOf(functionName: string): Promise<Credentials>
  /** Makes a role that everyone in the account may assume, for some actions. Returns its ARN. */
  role(name: string, actions: readonly string[]): Promise<string>
  /** Has the next call of a function be its process' first. */
  restart(functionName: string): Promise<void>
  /** Name of the log group of a function. */
  logGroupOf(functionName: string): Promise<string>
  /** What the stack tells a function. */
  environmentOf(functionName: string): Promise<Readonly<Record<string, string>>>
  /** Invokes a function and returns what it returned; fails with what it threw. */
  invoke(functionName: string, event: unknown): Promise<unknown>
  /** An operation of a service that speaks JSON: `json('sqs', 'AmazonSQS.SendMessage', {...})`. Fails unless it succeeds. */
  json<T = Record<string, unknown>>(service: string, target: string, body: unknown): Promise<T>
  /** The same, telling how it ended: `ok`, or the code of its error. */
  attempt(as: Credentials, service: string, target: string, body: unknown): Promise<string>
  /** An invocation that is only judged, telling how it ended. */
  attemptInvoke(as: Credentials, functionName: string): Promise<string>
  /** A request to S3, telling how it ended. */
  attemptS3(as: Credentials, method: string, path: string): Promise<string>
}

interface Configuration {
  readonly LoggingConfig: { readonly LogGroup: string }
  readonly Role: string
  readonly Environment: { readonly Variables: Readonly<Record<string, string>> }
}

export function accountOf(emulator: AwsEmulator): Account {
  const as = (credentials: Credentials) => awsRequests({ ...emulator, credentials })
  const root = as(emulator.credentials)

  /** IAM and STS speak forms and XML. */
  const query = async (service: string, version: string, form: Record<string, string>): Promise<string> => {
    const body = new URLSearchParams({ Version: version, ...form }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { status, text } = await root({ service, method: 'POST', path: '/', headers, body })
    if (status !== 200) throw new Error(`${form.Action} answered ${status}: ${text}`)
    return text
  }
  const iam = (form: Record<string, string>) => query('iam', '2010-05-08', form)
  const json = (request: ReturnType<typeof as>, service: string, target: string, body: unknown) => {
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target }
    return request({ service, method: 'POST', path: '/', headers, body: JSON.stringify(body) })
  }
  const configuration = async (functionName: string): Promise<Configuration> => {
    const path = `/2015-03-31/functions/${functionName}/configuration`
    return JSON.parse((await root({ service: 'lambda', method: 'GET', path })).text)
  }

  return {
    user: async name => {
      const made = await iam({ Action: 'CreateUser', UserName: name })
      return { ...keysIn(await iam({ Action: 'CreateAccessKey', UserName: name })), arn: element(made, 'Arn') }
    },

    roleOf: async functionName => {
      const { Role: arn } = await configuration(functionName)
      // Lambda may take the role, we may not: what it may do is the same for whoever has taken it.
      const trusted = {
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${emulator.account}:root` },
        Action: 'sts:AssumeRole',
      }
      const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [trusted] })
      await iam({ Action: 'UpdateAssumeRolePolicy', RoleName: arn.split('/').at(-1)!, PolicyDocument })
      return keysIn(await query('sts', '2011-06-15', { Action: 'AssumeRole', RoleArn: arn, RoleSessionName: 'test' }))
    },

    role: async (RoleName, Action) => {
      const statement = (of: object) =>
        JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...of }] })
      const Principal = { AWS: `arn:aws:iam::${emulator.account}:root` }
      const AssumeRolePolicyDocument = statement({ Principal, Action: ['sts:AssumeRole', 'sts:TagSession'] })
      const made = await iam({ Action: 'CreateRole', RoleName, AssumeRolePolicyDocument })
      const PolicyDocument = statement({ Action, Resource: '*' })
      await iam({ Action: 'PutRolePolicy', RoleName, PolicyName: 'it', PolicyDocument })
      return element(made, 'Arn')
    },

    restart: async functionName => {
      const { Environment } = await configuration(functionName)
      const Variables = { ...Environment.Variables, RESTARTED: String(Date.now()) }
      const path = `/2015-03-31/functions/${functionName}/configuration`
      const body = JSON.stringify({ Environment: { Variables } })
      const { status, text } = await root({ service: 'lambda', method: 'PUT', path, body })
      if (status !== 200) throw new Error(`${functionName} was not restarted: ${text}`)
    },

    logGroupOf: async functionName => (await configuration(functionName)).LoggingConfig.LogGroup,

    environmentOf: async functionName => (await configuration(functionName)).Environment.Variables,

    invoke: async (functionName, event) => {
      const path = `/2015-03-31/functions/${functionName}/invocations`
      const { status, headers, text } = await root({
        service: 'lambda',
        method: 'POST',
        path,
        body: JSON.stringify(event),
      })
      if (status !== 200 || headers['x-amz-function-error'])
        throw new Error(`${functionName} answered ${status}: ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },

    json: async (service, target, body) => {
      const answer = await json(root, service, target, body)
      if (answer.status !== 200) throw new Error(`${target} answered ${answer.status}: ${answer.text}`)
      return JSON.parse(answer.text || '{}')
    },

    attempt: async (credentials, service, target, body) =>
      outcomeOf(await json(as(credentials), service, target, body)),

    attemptInvoke: async (credentials, functionName) => {
      const path = `/2015-03-31/functions/${functionName}/invocations`
      const headers = { 'x-amz-invocation-type': 'DryRun' }
      return outcomeOf(await as(credentials)({ service: 'lambda', method: 'POST', path, headers, body: '{}' }))
    },

    attemptS3: async (credentials, method, path) =>
      outcomeOf(
        await as(credentials)({ service: 's3', method, path, headers: { 'x-amz-content-sha256': emptySha256 } }),
      ),
  }
}

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const element = (xml: string, name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''

const keysIn = (xml: string): Credentials => ({
  accessKeyId: element(xml, 'AccessKeyId'),
  secretAccessKey: element(xml, 'SecretAccessKey'),
  ...(element(xml, 'SessionToken') && { sessionToken: element(xml, 'SessionToken') }),
})

/** `AccessDenied` and `AccessDeniedException` are the same refusal by services of different age. */
const outcomeOf = ({ status, text }: AwsAnswer): string => {
  if (status < 300) return 'ok'
  const code = /"__type":\s*"(?:[^"#]*#)?([^"]+)"/.exec(text)?.[1] ?? (element(text, 'Code') || String(status))
  return code.replace(/^AccessDenied(Exception)?$/, 'denied')
}
