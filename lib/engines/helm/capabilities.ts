import {
  type Methods,
  NamedList,
  Struct,
  StructFields,
  TemplateFunction,
  type Value,
} from '../template/values/value.ts'
import { HelmError } from './helm-error.ts'

/** What templates see as `.Capabilities`: the cluster's version and APIs. */
export interface Capabilities {
  readonly kubeVersion: KubeVersion
  /** `group/version` and `group/version/Kind`. */
  readonly apiVersions: readonly string[]
}

export interface KubeVersion {
  /** As the cluster reports it: v1.33.4-gke.1245000. */
  readonly version: string
  /** The numbers only, without a suffix; constraints are checked against this. */
  readonly normalized: string
  readonly major: string
  readonly minor: string
}

/** Reads `1.33`, `v1.33.4-gke.1245000` and the like. Throws HelmError with Kubernetes' message. */
export const parseKubeVersion = (text: string): KubeVersion => {
  const parts = /^\s*v?([0-9]+(?:\.[0-9]+)*)(.*)$/s.exec(text)
  const fail = (problem: string): never => {
    throw new HelmError(`invalid kube version '${text}': ${problem}`)
  }
  if (!parts) return fail(`could not parse ${JSON.stringify(text)} as version`)
  const numbers = parts[1]!.split('.')
  if (numbers.length < 2) fail(`illegal version string ${JSON.stringify(text)}`)
  for (const number of numbers)
    if (/^0\d/.test(number))
      fail(`illegal zero-prefixed version component ${JSON.stringify(number)} in ${JSON.stringify(text)}`)
  const padded = [...numbers, '0'].slice(0, Math.max(3, numbers.length))
  return {
    version: text.startsWith('v') ? text : `v${text}`,
    normalized: `v${padded.join('.')}`,
    major: numbers[0]!,
    minor: numbers[1]!,
  }
}

/** The Helm version that charts see, and that this engine follows. */
const HELM = { version: 'v4.3', goVersion: 'go1.26.8', kubeClientVersion: 'v1.37' }

/** What `helm template` assumes without a cluster: the Kubernetes that Helm 4.3 was built with. */
export const defaultKubeVersion: KubeVersion = parseKubeVersion('v1.37.0')

/** `.Capabilities` of templates. */
export const capabilitiesValue = ({ kubeVersion, apiVersions }: Capabilities): Value => {
  const known = new Set(apiVersions)
  const has = new TemplateFunction(['string'], (version: string) => known.has(version))
  return new Struct(
    '*common.Capabilities',
    new Map<string, Value>([
      ['KubeVersion', kubeVersionValue(kubeVersion)],
      ['APIVersions', NamedList.named('common.VersionSet', 'string', apiVersions, new Map([['Has', has]]))],
      ['HelmVersion', new BuildInfo()],
    ]),
  )
}

class BuildInfo extends Struct {
  constructor() {
    super(
      'version.BuildInfo',
      new Map([
        ['Version', HELM.version],
        ['GitCommit', ''],
        ['GitTreeState', ''],
        ['GoVersion', HELM.goVersion],
        ['KubeClientVersion', HELM.kubeClientVersion],
      ]),
    )
  }

  override toJson(): Value {
    return new StructFields([
      ['version', HELM.version],
      ['go_version', HELM.goVersion],
      ['kube_client_version', HELM.kubeClientVersion],
    ])
  }
}

const kubeVersionValue = ({ version, normalized, major, minor }: KubeVersion): Value => {
  const methods: Methods = new Map([
    ['GitVersion', new TemplateFunction([], () => version)],
    ['String', new TemplateFunction([], () => normalized)],
  ])
  const fields = new Map<string, Value>([
    ['Version', version],
    ['normalizedVersion', normalized],
    ['Major', major],
    ['Minor', minor],
  ])
  return new Struct('common.KubeVersion', fields, methods)
}
