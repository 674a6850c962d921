/** The kinds of the Cluster Inventory API, as far as Keelson reads and writes them, as a user installs them into a hub. */

const definition = (kind: string, plural: string, fields: object, subresources: object): string =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.multicluster.x-k8s.io`,
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/cluster-inventory-api' },
    },
    spec: {
      group: 'multicluster.x-k8s.io',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: fields } },
          ...subresources,
        },
      ],
    },
  })

const text = { type: 'string' }
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const named = (fields: object) => ({
  type: 'array',
  items: { type: 'object', required: ['name'], properties: { name: text, ...fields } },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
})

const clusterProfiles = definition(
  'ClusterProfile',
  'clusterprofiles',
  {
    spec: {
      type: 'object',
      required: ['clusterManager'],
      properties: {
        displayName: text,
        clusterManager: {
          type: 'object',
          required: ['name'],
          properties: { name: text },
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'ClusterManager is immutable' }],
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        conditions: { type: 'array', items: anything },
        version: { type: 'object', properties: { kubernetes: text } },
        properties: named({ value: text }),
        accessProviders: named({ cluster: anything }),
        credentialProviders: named({ cluster: anything }),
      },
    },
  },
  { subresources: { status: {} } },
)

const placementDecisions = definition(
  'PlacementDecision',
  'placementdecisions',
  {
    schedulerName: text,
    decisions: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        required: ['clusterProfileRef'],
        properties: {
          reason: text,
          clusterProfileRef: { type: 'object', required: ['name'], properties: { name: text, namespace: text } },
        },
      },
    },
  },
  {},
)

/** Documents of one YAML file. */
export const clusterInventory = `${clusterProfiles}\n---\n${placementDecisions}\n`
