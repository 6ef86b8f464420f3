// Program evaluates flags with the Go SDK v5, as a test requests.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	unleash "github.com/Unleash/unleash-go-sdk/v5"
	"github.com/Unleash/unleash-go-sdk/v5/context"
)

type user struct {
	UserID        string            `json:"userId"`
	SessionID     string            `json:"sessionId"`
	RemoteAddress string            `json:"remoteAddress"`
	Properties    map[string]string `json:"properties"`
}

type question struct {
	URL     string   `json:"url"`
	Token   string   `json:"token"`
	AppName string   `json:"appName"`
	Flags   []string `json:"flags"`
	Users   []user   `json:"users"`
	Watched string   `json:"watched"`
}

func main() {
	var asked question
	must(json.NewDecoder(os.Stdin).Decode(&asked))
	sdk, err := unleash.NewClient(
		unleash.WithUrl(asked.URL+"/api/"),
		unleash.WithAppName(asked.AppName),
		unleash.WithListener(&silent{}),
		unleash.WithRefreshInterval(time.Second),
		unleash.WithMetricsInterval(time.Second),
		unleash.WithCustomHeaders(http.Header{"Authorization": {asked.Token}}),
	)
	must(err)
	ready := make(chan struct{})
	go func() {
		sdk.WaitForReady()
		close(ready)
	}()
	report := watch(asked.Watched, sdk)
	for waiting := true; waiting; {
		select {
		case <-ready:
			waiting = false
		case <-time.After(20 * time.Millisecond):
			report("early")
		}
	}
	answers := [][]string{}
	for _, flag := range asked.Flags {
		row := []string{}
		for _, one := range asked.Users {
			is := context.Context{UserId: one.UserID, SessionId: one.SessionID, RemoteAddress: one.RemoteAddress, Properties: one.Properties}
			enabled := sdk.IsEnabled(flag, unleash.WithContext(is))
			row = append(row, fmt.Sprint(enabled, " ", sdk.GetVariant(flag, unleash.WithVariantContext(is)).Name))
		}
		answers = append(answers, row)
	}
	say(map[string]any{"answers": answers})
	for ; ; time.Sleep(20 * time.Millisecond) {
		report("watched")
	}
}

// Reports the answer of the SDK about the flag whenever it changes. Before the SDK is ready, the fallback is off.
func watch(flag string, sdk *unleash.Client) func(member string) {
	last := map[string]string{}
	sayChanged := func(member, value string) {
		if last[member] != value {
			say(map[string]string{member: value})
		}
		last[member] = value
	}
	return func(member string) {
		sayChanged(member, fmt.Sprint(sdk.IsEnabled(flag, unleash.WithFallback(member == "watched"))))
		sayChanged("payload", sdk.GetVariant(flag).Payload.Value)
	}
}

type silent struct{}

func (*silent) OnError(error)   {}
func (*silent) OnWarning(error) {}

func say(line any) { must(json.NewEncoder(os.Stdout).Encode(line)) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}
