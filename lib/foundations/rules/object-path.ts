interface ObjectName {
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name: string
}

/** The path of an object's page in the console, or of a part of it: `/objects/Kustomization/apps/web/events`. */
export const objectPath = ({ kind, namespace = '', name }: ObjectName, ...more: readonly string[]): string =>
  `/${['objects', kind, namespace, name, ...more].map(encodeURIComponent).join('/')}`
