import { join } from 'node:path'
import { isObject } from '../../foundations/kinds/json-object.ts'
import { type Stage, stages } from '../../platform/ports/queue.ts'
import type { RootSource } from '../root-source.ts'
import { readSettings } from '../settings/setting-options.ts'
import type { Settings } from '../settings/settings.ts'

/** The environment that `cdk deploy` gives its functions. */
export interface AwsEnvironment {
  readonly hubName: string
  readonly table: string
  readonly bucket: string
  readonly kmsKey: string
  readonly queues: Readonly<Record<Stage, string>>
  readonly region: string
  /** Of the function; 0 if Lambda does not say. */
  readonly memoryGb: number
  readonly settings: Settings
  /** IAM ARNs of the members of `system:masters`. */
  readonly admins: readonly string[]
  readonly rootSource?: RootSource
  /** Path of the file with the issuers of tokens of people (AuthenticationConfiguration); none if absent. */
  readonly authenticationFile?: string
  /** Where requests to the API are put on record; nowhere if absent. */
  readonly audit?: AwsAuditSettings
  /** The folder with the documentation, which only `apiserver` has. */
  readonly docs: string
}

/** In the code of `apiserver`. */
export const docsFolder = 'docs'

export interface AwsAuditSettings {
  /** The log group. */
  readonly group: string
  /** The log stream of this process, which no other has; undefined if Lambda gives none. */
  readonly stream: string | undefined
  /** Path of the file with the policy; the default policy if absent. */
  readonly policyFile?: string
}

/** The environment of a function is invalid; lists all faults, each with its variable. */
class EnvironmentError extends Error {
  constructor(faults: readonly string[]) {
    super(`invalid environment: ${faults.join('; ')}`)
    this.name = 'EnvironmentError'
  }
}

/** Reads only the settings, for a function without a hub. Throws EnvironmentError. */
export const readAwsSettings = (variables: Variables): Settings => {
  const faults: string[] = []
  const settings = settingsIn(variables, faults)
  if (faults.length > 0) throw new EnvironmentError(faults)
  return settings
}

/** Reads the environment of the function `api`. Throws EnvironmentError. */
export const readApiProxyEnvironment = (
  variables: Variables,
): Pick<AwsEnvironment, 'hubName' | 'region' | 'settings'> => {
  const faults: string[] = []
  const text = textIn(variables, faults)
  const { hubName, region } = { hubName: text('KEELSON_HUB_NAME'), region: text('AWS_REGION') }
  const settings = settingsIn(variables, faults)
  if (faults.length > 0) throw new EnvironmentError(faults)
  return { hubName, region, settings }
}

/** Reads the variables `KEELSON_*`, and AWS_REGION. Fails with EnvironmentError. */
export const readAwsEnvironment = (variables: Variables): AwsEnvironment => {
  const faults: string[] = []
  const text = textIn(variables, faults)
  const json = jsonIn(variables, faults)

  const environment = {
    hubName: text('KEELSON_HUB_NAME'),
    table: text('KEELSON_TABLE'),
    bucket: text('KEELSON_BUCKET'),
    kmsKey: text('KEELSON_KMS_KEY'),
    queues: Object.fromEntries(stages.map(stage => [stage, text(`KEELSON_QUEUE_${stage.toUpperCase()}`)])) as Record<
      Stage,
      string
    >,
    region: text('AWS_REGION'),
    memoryGb: Number(variables.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 0) / 1024,
    settings: settingsIn(variables, faults),
    admins: json('KEELSON_ADMINS', 'a JSON list of IAM ARNs', areArns) ?? [],
    rootSource: json('KEELSON_ROOT_SOURCE', 'a JSON object with url and path', isRootSource),
  }
  if (faults.length > 0) throw new EnvironmentError(faults)
  const { KEELSON_AUTHENTICATION_FILE: file, LAMBDA_TASK_ROOT: code = '.' } = variables
  const audit = auditIn(variables, code)
  const docs = join(code, docsFolder)
  return { ...environment, docs, ...(file && { authenticationFile: join(code, file) }), ...(audit && { audit }) }
}

const auditIn = (variables: Variables, code: string): AwsAuditSettings | undefined => {
  const { KEELSON_AUDIT_LOG_GROUP: group, KEELSON_AUDIT_POLICY_FILE: file } = variables
  const stream = variables.AWS_LAMBDA_LOG_STREAM_NAME
  return group ? { group, stream, ...(file && { policyFile: join(code, file) }) } : undefined
}

export type Variables = Readonly<Record<string, string | undefined>>

const textIn =
  (variables: Variables, faults: string[]) =>
  (name: string): string => {
    const value = variables[name]
    if (!value) faults.push(`${name} is not set`)
    return value ?? ''
  }

const jsonIn =
  (variables: Variables, faults: string[]) =>
  <T>(name: string, expected: string, isRight: (value: unknown) => value is T): T | undefined => {
    const given = variables[name]
    if (!given) return undefined
    try {
      const value: unknown = JSON.parse(given)
      if (isRight(value)) return value
    } catch {
      // Reported below.
    }
    faults.push(`${name} is not ${expected}`)
    return undefined
  }

const settingsIn = (variables: Variables, faults: string[]): Settings => {
  const given = jsonIn(variables, faults)('KEELSON_SETTINGS', 'a JSON object of settings', isObject) ?? {}
  const { settings, faults: wrong } = readSettings(given)
  for (const fault of wrong) faults.push(`KEELSON_SETTINGS: ${fault}`)
  return settings
}

const areStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')

const areArns = (value: unknown): value is string[] => areStrings(value) && value.every(arn => arn.startsWith('arn:'))

const isRootSource = (value: unknown): value is RootSource =>
  isObject(value) && typeof value.url === 'string' && typeof value.path === 'string'
