import { gunzipSync, gzipSync } from 'node:zlib'
import { goJson } from '../../yaml/go-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../yaml/json-value.ts'
import type { Release } from './release.ts'

/** Maximum size of an unpacked release: a larger one could not fit into a Secret. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024

/** etcd, and so a Secret, takes 1 MiB. */
const MAX_SECRET_BYTES = 1024 * 1024

/** Stored data isn't a release. */
export class InvalidRelease extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InvalidRelease'
  }
}

/** The value of a Secret's key `release`, before the Secret's own base64. */
export const encodeRelease = (release: Release): string => {
  const json = Buffer.from(goJson(jsonOf(release)))
  return gzipSync(json, { level: 9, ...tablesFor(json.length) }).toString('base64')
}

/** As much memory as the size needs: for a small release zlib would take longer to prepare its largest tables than to fill them. */
const tablesFor = (bytes: number): { readonly windowBits: number; readonly memLevel: number } => {
  const windowBits = Math.min(15, Math.max(11, 32 - Math.clz32(bytes)))
  return { windowBits, memLevel: windowBits - 7 }
}

/** Decodes a release written by `encodeRelease`, Helm 3 or Helm 4. Throws InvalidRelease, which quotes none of it. */
export const decodeRelease = (text: string): Release => {
  let json: unknown
  try {
    const packed = Buffer.from(text, 'base64')
    const isPacked = packed[0] === 0x1f && packed[1] === 0x8b && packed[2] === 0x08
    const bytes = isPacked ? gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }) : packed
    json = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new InvalidRelease('is not a release in the format of Helm', error)
  }
  if (!isObject(json) || typeof json.name !== 'string' || !isObject(json.info))
    throw new InvalidRelease('is not a release in the format of Helm')
  return { version: 0, ...json } as unknown as Release
}

/** In the order of Helm's structs, without empty fields, like encoding/json. */
const jsonOf = ({
  name,
  info,
  chart,
  config,
  manifest,
  hooks,
  version,
  namespace,
  apply_method,
}: Release): JsonObject =>
  filled({
    ...{ name, info: filled({ ...infoOf(info) }), chart, config, manifest },
    hooks: hooks?.map(({ last_run, ...hook }) =>
      filled(
        {
          ...{ name: hook.name, kind: hook.kind, path: hook.path, manifest: hook.manifest, events: hook.events },
          last_run: filled({ ...last_run }, ['phase']),
          ...{ weight: hook.weight, delete_policies: hook.delete_policies },
          output_log_policies: hook.output_log_policies,
        },
        ['last_run'],
      ),
    ),
    ...{ version, namespace, apply_method },
  })

const infoOf = (info: Release['info']) => ({
  ...{ first_deployed: info.first_deployed, last_deployed: info.last_deployed, deleted: info.deleted },
  ...{ description: info.description, status: info.status, rollback_revision: info.rollback_revision },
  notes: info.notes,
})

/** Without empty fields, as Go's `omitempty` does. */
const filled = (fields: Readonly<Record<string, unknown>>, kept: readonly string[] = []): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => kept.includes(key) || !isEmpty(value)),
  ) as JsonObject

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value as JsonValue) && Object.keys(value as JsonObject).length === 0)

/** `sh.helm.release.v1.<name>.v<version>`. */
export const secretName = ({ name, version }: Pick<Release, 'name' | 'version'>): string =>
  `sh.helm.release.v1.${name}.v${version}`

export const SECRET_TYPE = 'helm.sh/release.v1'

/** The labels by which Helm finds a release, and the release's own labels. */
export const secretLabels = ({ name, version, info, labels = {} }: Release): Readonly<Record<string, string>> => ({
  ...labels,
  ...{ name, owner: 'helm', status: info.status, version: String(version) },
})

/** Rejects a release that is too large for a Secret, before any of it is applied. Throws InvalidRelease with the sizes. */
export const requireStorable = (release: Release, encoded: string): void => {
  const size = Buffer.byteLength(encoded)
  if (size <= MAX_SECRET_BYTES) return
  throw new InvalidRelease(
    `release ${release.name} takes ${size} bytes when stored, and a Secret holds ${MAX_SECRET_BYTES}: leave large files out of the chart with .helmignore, or split the chart`,
  )
}
