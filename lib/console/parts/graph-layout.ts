/** Where the boxes of a graph stand. Loaded by the pages that have one, as the library for it is a fifth of the script. */
import dagre from '@dagrejs/dagre'
import type { GraphNode, UnitGraph } from '../model/unit-graph.ts'

/** Of a box, in pixels. */
export interface BoxSize {
  readonly width: number
  readonly height: number
}

export interface Placed extends GraphNode {
  readonly x: number
  readonly y: number
}

export interface Layout {
  readonly width: number
  readonly height: number
  readonly nodes: readonly Placed[]
  readonly lines: readonly { readonly key: string; readonly path: string }[]
}

/** From left to right, as few crossings as dagre finds. */
export const layoutOf = ({ nodes, edges }: UnitGraph, box: BoxSize): Layout => {
  const graph = new dagre.graphlib.Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 46, marginx: 2, marginy: 2 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { ...box })
  for (const [from, to] of edges) graph.setEdge(from, to)
  dagre.layout(graph)
  const placed = nodes.map(node => ({ ...node, ...centreOf(graph.node(node.id)) }))
  const size = graph.graph() as { readonly width?: number; readonly height?: number }
  const byId = new Map(placed.map(node => [node.id, node]))
  const lines = edges.flatMap(([from, to]) => {
    const [a, b] = [byId.get(from), byId.get(to)]
    return a && b ? [{ key: `${from} ${to}`, path: curve(a, b, box.width) }] : []
  })
  return { width: size.width ?? 0, height: size.height ?? 0, nodes: placed, lines }
}

const centreOf = (at: unknown): { readonly x: number; readonly y: number } => {
  const { x, y } = at as { readonly x: number; readonly y: number }
  return { x, y }
}

const curve = (a: Placed, b: Placed, width: number): string => {
  const [from, to] = [a.x + width / 2, b.x - width / 2]
  const middle = (from + to) / 2
  return `M${from} ${a.y} C${middle} ${a.y} ${middle} ${b.y} ${to} ${b.y}`
}
