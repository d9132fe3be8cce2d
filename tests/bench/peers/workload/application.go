package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

var (
	teams  = strings.Fields("payments search identity ledger growth media fraud logistics ads platform")
	stages = strings.Fields("prod staging canary")
	words  = strings.Fields(`amber anchor atlas beacon birch canyon cedar cobalt copper coral delta dune ember falcon
		fern fjord flint garnet glade harbor hazel heron indigo iris ivory jasper juniper kestrel lagoon larch
		linden lotus lunar maple marble meadow mesa nectar nimbus oak onyx opal orchid osprey pebble pine plume
		quartz quill raven reef ridge river rowan saffron sage sierra slate solar spruce summit tempo thistle
		timber topaz tundra umber velvet violet walnut willow wren zephyr zinc`)
	nouns    = strings.Fields("api worker gateway indexer cache sync broker exporter scheduler ingest router auth")
	settings = strings.Fields(`TIMEOUT URL ENDPOINT TOKEN BUCKET REGION LEVEL LIMIT POOL_SIZE BATCH TOPIC GROUP
		ENABLED INTERVAL RETRIES DSN PREFIX KEY_ID WINDOW CLIENT_ID`)
)

// application is what one team ships: containers with settings, volumes, labels of its own.
type application struct {
	name, version, checksum string
	extraLabels             []string
	annotations             map[string]string
	containers              []container
	volumes                 []string
	spread, tolerant        bool
}

type container struct {
	name, image, digest string
	args                []string
	env                 [][2]string
	port                int32
	cpu, memory         int
	path                string
	period              int32
}

func word(r *rand.Rand) string { return words[r.IntN(len(words))] }

func newApplication(r *rand.Rand) application {
	app := application{
		name:        word(r) + "-" + nouns[r.IntN(len(nouns))],
		annotations: map[string]string{},
		spread:      r.IntN(2) == 0, tolerant: r.IntN(3) == 0,
	}
	for range r.IntN(5) {
		app.extraLabels = append(app.extraLabels, word(r)+".example.com/"+word(r))
	}
	for range 1 + r.IntN(5) {
		app.annotations[word(r)+".example.com/"+word(r)] = value(r)
	}
	for i := range 1 + r.IntN(3) {
		app.volumes = append(app.volumes, fmt.Sprintf("%s-%s-%d", word(r), word(r), i))
	}
	for i := range 1 + r.IntN(3) {
		app.containers = append(app.containers, newContainer(r, &app, i))
	}
	return app
}

func newContainer(r *rand.Rand, app *application, number int) container {
	c := container{
		name: app.name, port: int32(3000 + r.IntN(20000)), path: "/" + word(r) + "/" + word(r),
		period: int32(5 + r.IntN(25)), cpu: 10 * (1 + r.IntN(200)), memory: 32 * (1 + r.IntN(120)),
	}
	if number > 0 {
		c.name = fmt.Sprintf("%s-%d", word(r), number)
	}
	c.image = fmt.Sprintf("registry.example.com/%s/%s", word(r), c.name)
	for range r.IntN(8) {
		c.args = append(c.args, fmt.Sprintf("--%s-%s=%s", word(r), word(r), value(r)))
	}
	for range 4 + r.IntN(36) {
		c.set(strings.ToUpper(word(r))+"_"+settings[r.IntN(len(settings))], value(r))
	}
	return c
}

// set adds a variable unless there is one of that name.
func (c *container) set(name, text string) {
	if !slices.ContainsFunc(c.env, func(pair [2]string) bool { return pair[0] == name }) {
		c.env = append(c.env, [2]string{name, text})
	}
}

// vary is a release and an environment of an application: a version, digests and a part of the settings.
func (a *application) vary(r *rand.Rand) {
	a.version = fmt.Sprintf("%d.%d.%d", r.IntN(9), r.IntN(40), r.IntN(20))
	a.checksum = hex(r, 64)
	for i := range a.containers {
		c := &a.containers[i]
		c.digest = hex(r, 64)
		for n := range c.env {
			if r.IntN(4) == 0 {
				c.env[n][1] = value(r)
			}
		}
		for range r.IntN(4) {
			c.set(strings.ToUpper(word(r)+"_"+word(r)+"_"+word(r)), value(r))
		}
	}
}

func value(r *rand.Rand) string {
	switch r.IntN(7) {
	case 0:
		return fmt.Sprintf("https://%s.%s.svc.cluster.local:%d/%s", word(r), word(r), 1000+r.IntN(60000), word(r))
	case 1:
		return token(r, 20+r.IntN(44))
	case 2:
		return fmt.Sprintf("%dms", r.IntN(100000))
	case 3:
		return fmt.Sprintf("%s-%s-%d", word(r), word(r), r.IntN(1000))
	case 4:
		return uid(r)
	case 5:
		return fmt.Sprintf("postgres://%s:%s@%s.db.example.com:5432/%s", word(r), hex(r, 12), word(r), word(r))
	default:
		return fmt.Sprint(r.IntN(1000000))
	}
}
